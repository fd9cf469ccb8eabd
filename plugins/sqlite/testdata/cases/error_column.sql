SELECT id,
       yess FROM kinds
