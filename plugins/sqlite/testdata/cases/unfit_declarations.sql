SELECT day, yes, small FROM unfit ORDER BY n
