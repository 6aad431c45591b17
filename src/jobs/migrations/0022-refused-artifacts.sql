-- the limit that a refused artifact of the job went beyond, in bytes: such a job may not end well, whatever its runner says
alter table job_runs add column refused_bytes bigint;
