import type { Core } from '../../core/core.ts';
import { ForeignKeyViolation, UniqueViolation } from '../../platform/db/errors.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import {
  countVariables,
  deleteVariable,
  insertVariable,
  updateVariable,
  type VariableOwner,
} from './store.ts';
import type { CiVariableRow, VariableType } from './tables.ts';

/** What a caller may say of a variable; what is absent stays as it is. */
export interface VariableFields {
  key?: string | null | undefined;
  value?: string | null | undefined;
  variable_type?: VariableType | null | undefined;
  protected?: boolean | null | undefined;
  masked?: boolean | null | undefined;
  raw?: boolean | null | undefined;
  environment_scope?: string | null | undefined;
  description?: string | null | undefined;
}

type Deps = Pick<Core, 'database' | 'clock'>;

/** GitLab's limits. A job is sent every variable that reaches it. */
const MAX_VARIABLES = 8000;
const MAX_VALUE = 10_000;
const MAX_NAME = 255;

/** Throws 400 for values that will not do, a key that the owner has in this scope among them; 404 when the owner is gone. */
export async function createVariable(
  { database, clock }: Deps,
  owner: VariableOwner,
  { masked_and_hidden: hide, ...fields }: VariableFields & { masked_and_hidden?: boolean | null | undefined },
): Promise<CiVariableRow> {
  const now = clock.now();
  const row = {
    project_id: owner.projectId,
    group_id: owner.groupId,
    key: fields.key ?? '',
    value: fields.value ?? '',
    ...columnsOf(hide ? { ...fields, masked: true } : fields),
    hidden: hide ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
  refuse(problemsOf({ raw: 0, masked: 0, environment_scope: '*', description: null, ...row }));
  return saying(row.key, () =>
    database.transaction(async (tx) => {
      if ((await countVariables(tx, owner)) >= MAX_VARIABLES) throw tooMany();
      return insertVariable(tx, row);
    }),
  );
}

/** Throws as `createVariable`; 404 when it is gone meanwhile. */
export async function changeVariable(
  { database, clock }: Deps,
  before: CiVariableRow,
  fields: VariableFields,
): Promise<CiVariableRow> {
  const changes = columnsOf(fields);
  const after = { ...before, ...changes };
  if (before.hidden === 1 && after.masked === 0) {
    throw fail.invalid({
      base: ['The visibility setting cannot be changed for masked and hidden variables.'],
    });
  }
  refuse(problemsOf(after));
  return saying(before.key, () =>
    database.transaction(async (tx) => {
      const row = await updateVariable(tx, before.id, { ...changes, updated_at: clock.now() });
      if (!row) throw fail.notFound('Variable');
      return row;
    }),
  );
}

/** Throws 404 when it is gone already. */
export async function removeVariable({ database }: Deps, row: CiVariableRow): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteVariable(tx, row.id))) throw fail.notFound('Variable');
  });
}

const flag = (value: boolean) => (value ? 1 : 0);

/** Only what was said. */
function columnsOf(fields: VariableFields) {
  return {
    ...(fields.value != null && { value: fields.value }),
    ...(fields.variable_type != null && { variable_type: fields.variable_type }),
    ...(fields.protected != null && { protected: flag(fields.protected) }),
    ...(fields.masked != null && { masked: flag(fields.masked) }),
    ...(fields.raw != null && { raw: flag(fields.raw) }),
    ...(fields.environment_scope != null && { environment_scope: fields.environment_scope }),
    ...(fields.description !== undefined && { description: fields.description || null }),
  };
}

type Checked = Pick<CiVariableRow, 'key' | 'value' | 'raw' | 'masked' | 'environment_scope' | 'description'>;

/** Short or odd values would be masked where they do not mean the secret, or not at all. */
const MASKABLE = { raw: /^\S{8,}$/, expanded: /^[a-zA-Z0-9_+=/@:.~-]{8,}$/ };
const SCOPE = /^(?!\/)[a-zA-Z0-9_/\\${}. *-]+(?<!\/)$/;
const SCOPE_WORDS =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces, but it cannot start or end with '/'";

function problemsOf(row: Checked): FieldErrors {
  const masking = row.raw ? MASKABLE.raw : MASKABLE.expanded;
  const valueProblems = [
    ...(row.value.length > MAX_VALUE
      ? [`The value of the provided variable exceeds the ${MAX_VALUE} character limit`]
      : []),
    ...(row.masked && !masking.test(row.value) ? ['is invalid'] : []),
  ];
  const tooLong = `is too long (maximum is ${MAX_NAME} characters)`;
  const problems: FieldErrors = {
    key: keyProblems(row.key),
    value: valueProblems,
    environment_scope: [
      ...(SCOPE.test(row.environment_scope) ? [] : [SCOPE_WORDS]),
      ...(row.environment_scope.length > MAX_NAME ? [tooLong] : []),
    ],
    description: (row.description?.length ?? 0) > MAX_NAME ? [tooLong] : [],
  };
  return Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0));
}

/** What is wrong with the name of a variable, whoever sets it. */
export const keyProblems = (key: string): string[] => [
  ...(key.trim() === '' ? ["can't be blank"] : []),
  ...(key.length > MAX_NAME ? [`is too long (maximum is ${MAX_NAME} characters)`] : []),
  ...(/^[a-zA-Z0-9_]+$/.test(key) ? [] : ["can contain only letters, digits and '_'."]),
];

function refuse(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}

const tooMany = () =>
  fail.invalid({ base: [`Maximum number of CI/CD variables (${MAX_VARIABLES}) exceeded`] });

async function saying(key: string, write: () => Promise<CiVariableRow>): Promise<CiVariableRow> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UniqueViolation) throw fail.invalid({ key: [`(${key}) has already been taken`] });
    if (error instanceof ForeignKeyViolation) throw fail.notFound();
    throw error;
  }
}
