-- Rows in the order in which searches show them.
create index notes_project_updated on notes (project_id, updated_at, id);
create index milestones_updated on milestones (updated_at, id);
create index milestones_project_updated on milestones (project_id, updated_at, id);

-- Over few projects all of their issues are put in order: from this index alone, confidential ones left out as well.
create index issues_searched on issues (project_id, created_at, id, confidential, author_id);

-- `#12` asks every project for its number 12
create index issues_number on issues (iid, created_at, id);
create index merge_requests_number on merge_requests (iid, created_at, id);

-- A search for two characters finds the texts that are these two: no trigram leads to them.
create index issues_short on issues (created_at, id) where length(title) < 3 or length(description) < 3;
create index merge_requests_short on merge_requests (created_at, id) where length(title) < 3 or length(description) < 3;
create index milestones_short on milestones (updated_at, id) where length(title) < 3 or length(description) < 3;
create index notes_short on notes (updated_at, id) where length(body) < 3;
create index snippets_short on snippets (updated_at, id)
  where length(title) < 3 or length(file_name) < 3 or length(description) < 3;
create index snippet_files_short on snippet_files (snippet_id) where length(content) < 3;

-- sqlite:
-- Which trigrams a row holds, not where (`detail=none`): what is found so is compared with the row itself. The texts stay in
-- their tables. 200,000 issues of 1 kB: 0.7 of the size of the texts, 0.3 ms a row.

create virtual table projects_text using fts5
  (full_path, name_with_namespace, description, content='projects', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into projects_text (rowid, full_path, name_with_namespace, description) select id, full_path, name_with_namespace, description from projects;
create trigger projects_text_insert after insert on projects begin
  insert into projects_text (rowid, full_path, name_with_namespace, description) values (new.id, new.full_path, new.name_with_namespace, new.description);
end;
create trigger projects_text_update after update of full_path, name_with_namespace, description on projects
when old.full_path is not new.full_path or old.name_with_namespace is not new.name_with_namespace or old.description is not new.description begin
  insert into projects_text (projects_text, rowid, full_path, name_with_namespace, description) values ('delete', old.id, old.full_path, old.name_with_namespace, old.description);
  insert into projects_text (rowid, full_path, name_with_namespace, description) values (new.id, new.full_path, new.name_with_namespace, new.description);
end;
create trigger projects_text_delete after delete on projects begin
  insert into projects_text (projects_text, rowid, full_path, name_with_namespace, description) values ('delete', old.id, old.full_path, old.name_with_namespace, old.description);
end;

create virtual table users_text using fts5
  (name, username, content='users', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into users_text (rowid, name, username) select id, name, username from users;
create trigger users_text_insert after insert on users begin
  insert into users_text (rowid, name, username) values (new.id, new.name, new.username);
end;
create trigger users_text_update after update of name, username on users
when old.name is not new.name or old.username is not new.username begin
  insert into users_text (users_text, rowid, name, username) values ('delete', old.id, old.name, old.username);
  insert into users_text (rowid, name, username) values (new.id, new.name, new.username);
end;
create trigger users_text_delete after delete on users begin
  insert into users_text (users_text, rowid, name, username) values ('delete', old.id, old.name, old.username);
end;

create virtual table issues_text using fts5
  (title, description, content='issues', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into issues_text (rowid, title, description) select id, title, description from issues;
create trigger issues_text_insert after insert on issues begin
  insert into issues_text (rowid, title, description) values (new.id, new.title, new.description);
end;
create trigger issues_text_update after update of title, description on issues
when old.title is not new.title or old.description is not new.description begin
  insert into issues_text (issues_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
  insert into issues_text (rowid, title, description) values (new.id, new.title, new.description);
end;
create trigger issues_text_delete after delete on issues begin
  insert into issues_text (issues_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
end;

create virtual table merge_requests_text using fts5
  (title, description, content='merge_requests', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into merge_requests_text (rowid, title, description) select id, title, description from merge_requests;
create trigger merge_requests_text_insert after insert on merge_requests begin
  insert into merge_requests_text (rowid, title, description) values (new.id, new.title, new.description);
end;
create trigger merge_requests_text_update after update of title, description on merge_requests
when old.title is not new.title or old.description is not new.description begin
  insert into merge_requests_text (merge_requests_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
  insert into merge_requests_text (rowid, title, description) values (new.id, new.title, new.description);
end;
create trigger merge_requests_text_delete after delete on merge_requests begin
  insert into merge_requests_text (merge_requests_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
end;

create virtual table milestones_text using fts5
  (title, description, content='milestones', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into milestones_text (rowid, title, description) select id, title, description from milestones;
create trigger milestones_text_insert after insert on milestones begin
  insert into milestones_text (rowid, title, description) values (new.id, new.title, new.description);
end;
create trigger milestones_text_update after update of title, description on milestones
when old.title is not new.title or old.description is not new.description begin
  insert into milestones_text (milestones_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
  insert into milestones_text (rowid, title, description) values (new.id, new.title, new.description);
end;
create trigger milestones_text_delete after delete on milestones begin
  insert into milestones_text (milestones_text, rowid, title, description) values ('delete', old.id, old.title, old.description);
end;

create virtual table notes_text using fts5
  (body, content='notes', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into notes_text (rowid, body) select id, body from notes where system = 0;
create trigger notes_text_insert after insert on notes when new.system = 0 begin
  insert into notes_text (rowid, body) values (new.id, new.body);
end;
create trigger notes_text_update after update of body on notes
when (old.body is not new.body) and new.system = 0 begin
  insert into notes_text (notes_text, rowid, body) values ('delete', old.id, old.body);
  insert into notes_text (rowid, body) values (new.id, new.body);
end;
create trigger notes_text_delete after delete on notes when old.system = 0 begin
  insert into notes_text (notes_text, rowid, body) values ('delete', old.id, old.body);
end;

create virtual table snippets_text using fts5
  (title, file_name, description, content='snippets', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
insert into snippets_text (rowid, title, file_name, description) select id, title, file_name, description from snippets;
create trigger snippets_text_insert after insert on snippets begin
  insert into snippets_text (rowid, title, file_name, description) values (new.id, new.title, new.file_name, new.description);
end;
create trigger snippets_text_update after update of title, file_name, description on snippets
when old.title is not new.title or old.file_name is not new.file_name or old.description is not new.description begin
  insert into snippets_text (snippets_text, rowid, title, file_name, description) values ('delete', old.id, old.title, old.file_name, old.description);
  insert into snippets_text (rowid, title, file_name, description) values (new.id, new.title, new.file_name, new.description);
end;
create trigger snippets_text_delete after delete on snippets begin
  insert into snippets_text (snippets_text, rowid, title, file_name, description) values ('delete', old.id, old.title, old.file_name, old.description);
end;

-- A file of a snippet has no number of its own: its place within the snippet is part of it.
create virtual table snippet_files_text using fts5
  (content, content='', contentless_delete=1, tokenize='trigram', detail='none');
insert into snippet_files_text (rowid, content) select snippet_id * 1000 + position, content from snippet_files;
create trigger snippet_files_text_insert after insert on snippet_files begin
  insert into snippet_files_text (rowid, content) values (new.snippet_id * 1000 + new.position, new.content);
end;
create trigger snippet_files_text_update after update of content, position on snippet_files begin
  delete from snippet_files_text where rowid = old.snippet_id * 1000 + old.position;
  insert into snippet_files_text (rowid, content) values (new.snippet_id * 1000 + new.position, new.content);
end;
create trigger snippet_files_text_delete after delete on snippet_files begin
  delete from snippet_files_text where rowid = old.snippet_id * 1000 + old.position;
end;
-- end

-- postgres:
-- Letters of every alphabet in one case, whatever the locale of the database: "C" knows only those of English.
do $do$
declare
  wide text := (select format('collate %I', collname) from pg_collation
    where collname in ('pg_c_utf8', 'und-x-icu') order by collname limit 1);
begin
  execute format($sql$
    create function search_fold(given text) returns text language sql immutable strict parallel safe
    as $body$ select replace(lower(given %s), 'ς', 'σ') $body$ $sql$, coalesce(wide, ''));
end $do$;

-- Owners of a database may create this extension by themselves where the server has it. Without it searches find the same, by
-- reading every row; docs/search.md says how to add the indexes later.
do $do$
begin
  create extension if not exists pg_trgm;
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise warning 'pg_trgm cannot be installed: searches of texts will read whole tables';
end $do$;

do $do$
begin
  if not exists (select from pg_extension where extname = 'pg_trgm') then return; end if;
  create index projects_text on projects using gin (
    search_fold(full_path) gin_trgm_ops,
    search_fold(name_with_namespace) gin_trgm_ops,
    search_fold(description) gin_trgm_ops
  );
  create index users_text on users using gin (
    search_fold(name) gin_trgm_ops,
    search_fold(username) gin_trgm_ops
  );
  create index issues_text on issues using gin (
    search_fold(title) gin_trgm_ops,
    search_fold(description) gin_trgm_ops
  );
  create index merge_requests_text on merge_requests using gin (
    search_fold(title) gin_trgm_ops,
    search_fold(description) gin_trgm_ops
  );
  create index milestones_text on milestones using gin (
    search_fold(title) gin_trgm_ops,
    search_fold(description) gin_trgm_ops
  );
  create index notes_text on notes using gin (
    search_fold(body) gin_trgm_ops
  ) where system = 0;
  create index snippets_text on snippets using gin (
    search_fold(title) gin_trgm_ops,
    search_fold(file_name) gin_trgm_ops,
    search_fold(description) gin_trgm_ops
  );
  create index snippet_files_text on snippet_files using gin (
    search_fold(content) gin_trgm_ops
  );
end $do$;
-- end
