SELECT * FROM (VALUES ('ok'::ENUM('sad', 'ok', 'it''s')), ('it''s'::ENUM('sad', 'ok', 'it''s')), (NULL)) t(mood)
