SELECT 1 SETTINGS max_threads = 63
