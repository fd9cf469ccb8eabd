SELECT '\x00ff41'::bytea AS some, ''::bytea AS none, NULL::bytea AS missing
