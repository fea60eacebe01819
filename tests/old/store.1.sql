BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('1');
CREATE TABLE changes (
	number INTEGER NOT NULL, 
	window INTEGER NOT NULL, 
	sign SMALLINT NOT NULL, 
	reports INTEGER NOT NULL, 
	rows BLOB NOT NULL, 
	CONSTRAINT pk_changes PRIMARY KEY (number), 
	CONSTRAINT fk_changes_window FOREIGN KEY(window) REFERENCES windows (number)
);
INSERT INTO "changes" VALUES(1,1,-1,1,X'01');
CREATE TABLE refusals (
	fingerprint TEXT NOT NULL, 
	code TEXT NOT NULL, 
	reports BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_refusals PRIMARY KEY (fingerprint, code)
)
 WITHOUT ROWID

;
INSERT INTO "refusals" VALUES('ce39911b26bfcf96fb3fa47f417061cf','wrong-payload',2);
CREATE TABLE reports (
	survey INTEGER NOT NULL, 
	id BLOB NOT NULL, 
	window INTEGER NOT NULL, 
	state SMALLINT NOT NULL, 
	"row" BLOB, 
	CONSTRAINT pk_reports PRIMARY KEY (survey, id), 
	CONSTRAINT fk_reports_survey_window FOREIGN KEY(survey, window) REFERENCES windows (survey, number)
)
 WITHOUT ROWID

;
INSERT INTO "reports" VALUES(1,X'0035C5BF742A2FF6DE23941764D58BB9',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'0AA10B4BDCD78D8AB947C8EC8957E246',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'0B8216FA818E50225DB52062A5693267',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'19F2D2B9737D20290250945229084DF8',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'246DEE453351E4D3CA3ACA414C46C168',1,2,NULL);
INSERT INTO "reports" VALUES(1,X'2AFAD1A4022CB28C6202F315321D0E07',1,0,X'04');
INSERT INTO "reports" VALUES(1,X'353297DD2E3CE6C0A49C7FD69AC2C389',1,0,X'03');
INSERT INTO "reports" VALUES(1,X'4519B91F242D9E4D2E0CDA1F0C701874',1,0,X'00');
INSERT INTO "reports" VALUES(1,X'48994AD13A4C69540AD5E273A876D6C9',1,0,X'04');
INSERT INTO "reports" VALUES(1,X'552564E784A41534ECFD938092F72643',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'76FC8C7FC779357C4DA6EF1DD79711FB',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'F316130531E617C04597E00F4DDEC847',1,1,NULL);
CREATE TABLE surveys (
	number INTEGER NOT NULL, 
	fingerprint TEXT NOT NULL, 
	document TEXT NOT NULL, 
	upload TEXT NOT NULL, 
	retention INTEGER, 
	scrub BOOLEAN NOT NULL, 
	closed BOOLEAN NOT NULL, 
	CONSTRAINT pk_surveys PRIMARY KEY (number), 
	CONSTRAINT uq_surveys_fingerprint UNIQUE (fingerprint)
);
INSERT INTO "surveys" VALUES(1,'ce39911b26bfcf96fb3fa47f417061cf','{"closes":"","mechanism":{"domain":{"kind":"categories","size":5},"epsilon":"1","mechanism":"randomized-response","options":{"bits":62},"version":1,"weights":{"keep":1179494472895605494,"other":686438309106356482}},"minimum_batch":100,"name":"colors","opens":"","outside":"refuse","question":"Which?","survey":1,"window":"day"}','open',NULL,1,0);
CREATE TABLE releases (
	window INTEGER NOT NULL, 
	step BIGINT DEFAULT '0' NOT NULL, 
	n BIGINT DEFAULT '0' NOT NULL, 
	added BIGINT DEFAULT '0' NOT NULL, 
	cells BLOB, 
	CONSTRAINT pk_releases PRIMARY KEY (window), 
	CONSTRAINT fk_releases_window FOREIGN KEY(window) REFERENCES windows (number)
);
CREATE TABLE waiting (
	number INTEGER NOT NULL, 
	window INTEGER NOT NULL, 
	reports INTEGER NOT NULL, 
	rows BLOB NOT NULL, 
	CONSTRAINT pk_waiting PRIMARY KEY (number), 
	CONSTRAINT fk_waiting_window FOREIGN KEY(window) REFERENCES windows (number)
);
CREATE TABLE tallies (
	window INTEGER NOT NULL, 
	n BIGINT NOT NULL, 
	cells BLOB NOT NULL, 
	CONSTRAINT pk_tallies PRIMARY KEY (window), 
	CONSTRAINT fk_tallies_window FOREIGN KEY(window) REFERENCES windows (number)
);
INSERT INTO "tallies" VALUES(1,12,X'0106000302');
CREATE TABLE tokens (
	window INTEGER NOT NULL, 
	token BLOB NOT NULL, 
	used INTEGER NOT NULL, 
	CONSTRAINT pk_tokens PRIMARY KEY (window, token), 
	CONSTRAINT fk_tokens_window FOREIGN KEY(window) REFERENCES windows (number)
)
 WITHOUT ROWID

;
CREATE TABLE windows (
	number INTEGER NOT NULL, 
	survey INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	stored BIGINT DEFAULT '0' NOT NULL, 
	duplicates BIGINT DEFAULT '0' NOT NULL, 
	deleted BIGINT DEFAULT '0' NOT NULL, 
	expired BIGINT DEFAULT '0' NOT NULL, 
	over BOOLEAN DEFAULT 0 NOT NULL, 
	cleared BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (number), 
	CONSTRAINT fk_windows_survey FOREIGN KEY(survey) REFERENCES surveys (number), 
	CONSTRAINT uq_windows_survey_name UNIQUE (survey, name), 
	CONSTRAINT uq_windows_survey_number UNIQUE (survey, number)
);
INSERT INTO "windows" VALUES(1,1,'2026-11-16',12,3,1,0,0,0);
COMMIT;
