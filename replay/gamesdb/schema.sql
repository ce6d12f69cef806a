-- A row for each finished game. record holds all of it in the binary form of package replay, with a checksum; the other columns
-- repeat what questions in SQL need.
CREATE TABLE games (
  number INTEGER PRIMARY KEY, -- counts the run's games from 0
  model  INTEGER NOT NULL,    -- iteration of the model that played
  worker TEXT    NOT NULL,    -- 'local' for the process that trains
  result TEXT    NOT NULL,    -- who has won: 'first', 'draw', 'second'
  plies  INTEGER NOT NULL,    -- moves of both sides
  time   TEXT    NOT NULL,    -- when the row was written, UTC
  record BLOB    NOT NULL
) STRICT;

-- Which run the games are of. A row is written before the first game that depends on it.
CREATE TABLE origin (
  name  TEXT PRIMARY KEY, -- a setting that must not change, or a model's file
  value TEXT NOT NULL     -- of the setting, or the file's SHA-256, hexadecimal
) STRICT;

-- What each model's games came to; first is the first player's score, draws count half.
CREATE VIEW models AS
  SELECT model, count(*) AS games, min(number) AS oldest, max(number) AS newest, avg(plies) AS plies,
         avg(CASE result WHEN 'first' THEN 1.0 WHEN 'draw' THEN 0.5 ELSE 0.0 END) AS first
  FROM games GROUP BY model;

-- What each worker has played.
CREATE VIEW workers AS
  SELECT worker, count(*) AS games, min(time) AS since, max(time) AS last FROM games GROUP BY worker;
