SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u, CAST(NULL AS Nullable(UUID)) AS missing
