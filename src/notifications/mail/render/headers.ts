import type { NoticeBase, NoticeProject, NoticeThing } from '../../notice.ts';
import { threadHeaders, threadPlace } from './threads.ts';

const MAX_LIST_ID = 255;

/** GitLab's headers of a notice, by which its readers sort their mail, and one of ours that names the event. */
export function noticeHeaders(notice: NoticeBase, host: string): Record<string, string> {
  const { project, thing, discussionId } = notice;
  return {
    ...(project && projectHeaders(project, host)),
    ...thingHeaders(thing, notice),
    ...threadHeaders(threadPlace(notice, host)),
    ...(discussionId !== null && { 'X-GitLab-Discussion-ID': discussionId }),
    'X-Ingot-Event': notice.kind,
  };
}

export function projectHeaders(project: NoticeProject, host: string): Record<string, string> {
  return {
    'X-GitLab-Project': project.name,
    'X-GitLab-Project-Id': String(project.id),
    'X-GitLab-Project-Path': project.path,
    'List-Id': listId(project, host),
  };
}

function thingHeaders(thing: NoticeThing, { act }: Pick<NoticeBase, 'act'>): Record<string, string> {
  switch (thing.type) {
    case 'Issue':
      return {
        ...numbered('Issue', thing),
        ...(thing.confidential !== null && { 'X-GitLab-ConfidentialIssue': String(thing.confidential) }),
      };
    case 'MergeRequest':
      return numbered('MergeRequest', thing);
    case 'Snippet':
      return { 'X-GitLab-Snippet-ID': String(thing.id) };
    case 'Commit':
      return { 'X-GitLab-Commit-ID': thing.sha ?? '' };
    case 'Pipeline':
      return {
        'X-GitLab-Pipeline-Id': String(thing.id),
        'X-GitLab-Pipeline-Ref': act.ref ?? '',
        'X-GitLab-Pipeline-Status': thing.state ?? '',
      };
    case 'Project':
      return {};
  }
}

function numbered(name: string, { id, iid, state }: NoticeThing): Record<string, string> {
  return {
    [`X-GitLab-${name}-ID`]: String(id),
    [`X-GitLab-${name}-IID`]: String(iid),
    ...(state !== null && { [`X-GitLab-${name}-State`]: state }),
  };
}

/** `Group/sub/My.App <42.my-app.sub.group.gitlab.example.com>`, at most 255 characters in all. */
export function listId({ id, path }: Pick<NoticeProject, 'id' | 'path'>, host: string): string {
  const parts = path.toLowerCase().split('/').reverse();
  const labels = parts.map((part) => part.replace(/[^a-z0-9]/g, '-'));
  const address = (kept: string[]) => `<${[id, ...kept].join('.')}.${host}>`;
  while (labels.length > 0 && address(labels).length > MAX_LIST_ID) labels.pop();
  const bracketed = address(labels);
  const room = MAX_LIST_ID - bracketed.length - 1;
  return room <= 0 ? bracketed : `${path.slice(0, room)} ${bracketed}`;
}
