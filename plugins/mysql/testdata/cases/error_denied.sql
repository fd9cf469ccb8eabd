SELECT * FROM mysql.global_priv
