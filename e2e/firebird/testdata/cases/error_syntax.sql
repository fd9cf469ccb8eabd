SELECT whole
