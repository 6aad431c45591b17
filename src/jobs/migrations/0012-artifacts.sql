-- What jobs have uploaded, and their sealed logs (`file_type` 'trace'). Nothing cascades into it: each row stands for bytes in the
-- object store (`artifacts/<id / 1000>/<id>`), comes before them and only goes when they are freed.
create table job_artifacts (
  id {{id}},
  project_id bigint not null,
  pipeline_id bigint not null,
  job_id bigint not null,
  file_type text not null,
  -- 'zip', 'gzip' or 'raw'
  file_format text not null,
  filename text not null,
  size bigint not null,
  -- hex
  sha256 text not null,
  -- who may fetch it: 'all', 'developer', 'maintainer' or 'none'
  access text not null default 'all',
  created_at bigint not null,
  expire_at bigint,
  -- 'coming': its bytes are under way, 'stored', or 'doomed': nobody sees it any more, its bytes are to be freed
  state text not null default 'coming'
);
create unique index job_artifacts_type on job_artifacts (job_id, file_type) where state = 'stored';
create index job_artifacts_expiry on job_artifacts (expire_at, id) where state = 'stored' and expire_at is not null;
create index job_artifacts_coming on job_artifacts (created_at) where state = 'coming';
create index job_artifacts_doomed on job_artifacts (id) where state = 'doomed';
create index job_artifacts_pipeline on job_artifacts (pipeline_id);
-- with all that the sum of a project's bytes needs
create index job_artifacts_project on job_artifacts (project_id, id, state, size);

-- What is known of a job's log since its first byte. Nothing cascades into it either: a row names a live file until that is gone.
create table job_traces (
  job_id bigint primary key,
  project_id bigint not null,
  pipeline_id bigint not null,
  -- 1: the runner said that it prints every command with its variables
  debug integer not null default 0,
  -- 1: a secret was covered here that the runner had let through, so its checksum cannot fit
  masked integer not null default 0,
  -- how often the whole log was asked for once more
  resends bigint not null default 0,
  created_at bigint not null,
  -- when it was put into the object store
  sealed_at bigint,
  -- 0: the live file is gone, some time after the sealing
  live integer not null default 1
);
create index job_traces_sealed on job_traces (sealed_at) where live = 1 and sealed_at is not null;
create index job_traces_pipeline on job_traces (pipeline_id);
create index job_traces_project on job_traces (project_id);

-- variables that a job hands on by `artifacts:reports:dotenv`
create table job_dotenv_variables (
  job_id bigint not null references jobs (id) on delete cascade,
  idx bigint not null,
  key text not null,
  value text not null,
  primary key (job_id, idx)
);

-- which pipeline of a branch or tag was the last to succeed
create index pipelines_ref_status on pipelines (project_id, ref, status, id);
