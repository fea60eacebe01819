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
INSERT INTO "meta" VALUES('id-key',X'2CEED78EB39FE46EE1E94CC8AB11727F87DD67ABC76EB721E74290666533EC73');
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
	id_hash BLOB NOT NULL, 
	window INTEGER NOT NULL, 
	state SMALLINT NOT NULL, 
	"row" BLOB, 
	CONSTRAINT pk_reports PRIMARY KEY (survey, id_hash), 
	CONSTRAINT fk_reports_survey_window FOREIGN KEY(survey, window) REFERENCES windows (survey, number)
)
 WITHOUT ROWID

;
INSERT INTO "reports" VALUES(1,X'295EF07A5588561B769CD671C39342DA',1,2,NULL);
INSERT INTO "reports" VALUES(1,X'29E6D4E87EB3653CE3C40BE933FEF9C0',1,0,X'01');
INSERT INTO "reports" VALUES(1,X'542CA6F0E0ED358557A588D96A5C999A',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'54CA10C5A68C2CFC6706E0D4776823AC',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'5CD4E54069D00B05E3BE2272555B85FF',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'9756123BB0A8BFBBBC02FB8F64C5CABA',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'BE30CF609885D95E6430321AB9E9BB7A',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'CBE11BB4B882A5026422B860E8228B80',1,1,NULL);
INSERT INTO "reports" VALUES(1,X'D3DD25911202D810AA101BBCCCF97E2F',1,0,X'01');
INSERT INTO "reports" VALUES(1,X'DE9B0FA026C894737DD5ABE06AB07767',1,0,X'01');
INSERT INTO "reports" VALUES(1,X'E05C721906D11D554D86A2BCC6B77B63',1,0,X'03');
INSERT INTO "reports" VALUES(1,X'F85A8D7D60D0D4881EA7BE53CD4F7A37',1,1,NULL);
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
