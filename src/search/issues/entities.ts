import { Type } from '../../platform/http/schema.ts';
import { IssueBasic, type IssueBasicJson } from '../../tracker/issues/entities.ts';

/** An issue as lists show it, without `_links`, as GitLab finds it. */
export const IssueFound = Type.Omit(IssueBasic, ['_links'], { $id: 'SearchIssue' });

export const withoutLinks = ({ _links, ...issue }: IssueBasicJson) => issue;
