SELECT sleep(1)
