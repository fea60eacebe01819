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
CREATE TABLE meta (
	name TEXT NOT NULL, 
	value BLOB NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY (name)
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('id-key',X'024F54FE0ABED5ACBD1083E4FC299F69553583885A855A16D1E8761443628476');
CREATE TABLE refusals (
	fingerprint TEXT NOT NULL, 
	code TEXT NOT NULL, 
	reports BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_refusals PRIMARY KEY (fingerprint, code)
)
 WITHOUT ROWID

;
INSERT INTO "refusals" VALUES('52ed9df740a769bf6c80024693e21f1d','wrong-payload',2);
CREATE TABLE reports (
	survey INTEGER NOT NULL, 
	id_hash BLOB NOT NULL, 
	window INTEGER NOT NULL, 
	state SMALLINT NOT NULL, 
	"row" BLOB, 
	CONSTRAINT pk_reports PRIMARY KEY (survey, id_hash), 
	CONSTRAINT fk_reports_survey_window FOREIGN KEY(survey, window) REFERENCES windows (survey, number)
)
 WITHOUT ROWID

;
INSERT INTO "reports" VALUES(1,X'31FE0C32800B2839CE6B97DD775A7BD2',1,0,X'03');
INSERT INTO "reports" VALUES(1,X'5EE63C013EE0062C4410D05C012CD10A',1,0,X'01');
INSERT INTO "reports" VALUES(1,X'6394AD6166DC7688170B69A784093A76',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'6CD3525AD88F59EA108333826E0CE47B',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'74474228EBC55EDC1EA6A536AEF5EC4D',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'BDEDD7C157AA5B932BBC17542BB09A9A',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'C4CA07D633C12AFF6EF92C93DE380DB1',1,2,NULL);
INSERT INTO "reports" VALUES(1,X'CCE94E763421B731618FBFE39E8E4B5B',1,0,X'01');
INSERT INTO "reports" VALUES(1,X'D113394FFFB84FB4E0D96535864D9150',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'D62410A7D76515F1F19887085960CCB3',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'DE1FE063AB5C3FF6516B297D80DEE5B7',1,0,X'01');
INSERT INTO "reports" VALUES(1,X'E9AAC503534C3CF844F6C28275E3F4F5',1,1,NULL);
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
INSERT INTO "surveys" VALUES(1,'52ed9df740a769bf6c80024693e21f1d','{"closes":"","mechanism":{"domain":{"kind":"categories","size":5,"values":null,"version":1},"epsilon":"1","mechanism":"randomized-response","options":{"bits":62},"version":2,"weights":{"keep":"1179494472895605494","other":"686438309106356482"}},"minimum_batch":100,"name":"colors","opens":"","outside":"refuse","question":"Which?","series":"","survey":2,"window":"day"}','open',NULL,1,0);
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
	folds BIGINT NOT NULL, 
	n BIGINT NOT NULL, 
	cells BLOB NOT NULL, 
	CONSTRAINT pk_tallies PRIMARY KEY (window), 
	CONSTRAINT fk_tallies_window FOREIGN KEY(window) REFERENCES windows (number)
);
INSERT INTO "tallies" VALUES(1,2,12,X'0106000302');
CREATE TABLE tokens (
	window INTEGER NOT NULL, 
	token BLOB NOT NULL, 
	used BIGINT NOT NULL, 
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
	scrubbed BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (number), 
	CONSTRAINT fk_windows_survey FOREIGN KEY(survey) REFERENCES surveys (number), 
	CONSTRAINT uq_windows_survey_name UNIQUE (survey, name), 
	CONSTRAINT uq_windows_survey_number UNIQUE (survey, number)
);
INSERT INTO "windows" VALUES(1,1,'2026-11-16',12,3,1,0,0,0,7);
COMMIT;
