SELECT * FROM "/etc/passwd.csv" LIMIT 1
