DESCRIBE crm.parents
