SELECT 9007199254740993 AS large, 9e999 AS up, -9e999 AS down FROM rdb$database
