import type { ProjectAccess } from '../../../core/access/access.ts';
import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { isoTime, presentUserBasic, UserBasic } from '../../../core/entities.ts';
import type { User } from '../../../core/tables.ts';
import { findUsersByIds } from '../../../core/users/store.ts';
import { timestamp } from '../../../platform/http/params.ts';
import { type Static, Type } from '../../../platform/http/schema.ts';
import { issuableFields, presentIssuable } from '../../issuable.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { mayApprove } from './approve.ts';
import { type Approval, approvalsOf } from './store.ts';

const ApprovedBy = Type.Object({ user: UserBasic, approved_at: timestamp() }, { $id: 'ApprovedBy' });

/** Of the paid editions' rules only the values that say "none" are there. */
export const Approvals = Type.Object(
  {
    ...issuableFields,
    merge_status: Type.String(),
    approved: Type.Boolean(),
    approvals_required: Type.Integer(),
    approvals_left: Type.Integer(),
    require_password_to_approve: Type.Boolean(),
    approved_by: Type.Array(ApprovedBy),
    suggested_approvers: Type.Array(UserBasic),
    approvers: Type.Array(UserBasic),
    approver_groups: Type.Array(Type.Object({})),
    user_has_approved: Type.Boolean(),
    user_can_approve: Type.Boolean(),
    approval_rules_left: Type.Array(Type.Object({})),
    has_approval_rules: Type.Boolean(),
    merge_request_approvers_available: Type.Boolean(),
    multiple_approval_rules_available: Type.Boolean(),
  },
  { $id: 'MergeRequestApprovals' },
);

const Rule = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    rule_type: Type.String(),
    report_type: Type.Null(),
    eligible_approvers: Type.Array(UserBasic),
    approvals_required: Type.Integer(),
    users: Type.Array(UserBasic),
    groups: Type.Array(Type.Object({})),
    contains_hidden_groups: Type.Boolean(),
    section: Type.Null(),
    source_rule: Type.Null(),
    overridden: Type.Boolean(),
    code_owner: Type.Boolean(),
    approved: Type.Boolean(),
    approved_by: Type.Array(UserBasic),
  },
  { $id: 'MergeRequestApprovalRule' },
);

export const ApprovalState = Type.Object(
  { approval_rules_overwritten: Type.Boolean(), rules: Type.Array(Rule) },
  { $id: 'MergeRequestApprovalState' },
);

/** Who has approved a merge request, and whether the caller has or may. */
export async function presentApprovals(
  core: Pick<Core, 'db' | 'baseUrl'>,
  row: MergeRequestRow,
  { caller, access }: { caller: Caller; access: ProjectAccess },
): Promise<Static<typeof Approvals>> {
  const given = await approvers(core, row);
  const hasApproved = given.some(({ user }) => user.id === caller.user.id);
  return {
    ...presentIssuable(row),
    merge_status: row.merge_status,
    approved: given.length > 0,
    approved_by: given.map(({ user, createdAt }) => ({
      user: presentUserBasic(user, core.baseUrl()),
      approved_at: isoTime(createdAt),
    })),
    user_has_approved: hasApproved,
    user_can_approve: !hasApproved && mayApprove(access, row),
    ...NO_RULES,
  };
}

const NO_RULES = {
  approvals_required: 0,
  approvals_left: 0,
  require_password_to_approve: false,
  suggested_approvers: [],
  approvers: [],
  approver_groups: [],
  approval_rules_left: [],
  has_approval_rules: false,
  merge_request_approvers_available: false,
  multiple_approval_rules_available: false,
};

/** The one rule of the free edition: anybody's approval is welcome, nobody's is needed. */
export async function presentApprovalState(
  core: Pick<Core, 'db' | 'baseUrl'>,
  row: MergeRequestRow,
): Promise<Static<typeof ApprovalState>> {
  const given = await approvers(core, row);
  const rule = {
    id: row.id,
    name: 'All Members',
    rule_type: 'any_approver',
    report_type: null,
    eligible_approvers: [],
    approvals_required: 0,
    users: [],
    groups: [],
    contains_hidden_groups: false,
    section: null,
    source_rule: null,
    overridden: false,
    code_owner: false,
    approved: true,
    approved_by: given.map(({ user }) => presentUserBasic(user, core.baseUrl())),
  };
  return { approval_rules_overwritten: false, rules: [rule] };
}

async function approvers({ db }: Pick<Core, 'db'>, row: MergeRequestRow) {
  const approvals = await approvalsOf(db, row.id);
  const users = await findUsersByIds(
    db,
    approvals.map(({ userId }) => userId),
  );
  return approvals.flatMap((approval): (Approval & { user: User })[] => {
    const user = users.get(approval.userId);
    return user ? [{ ...approval, user }] : [];
  });
}
