import { optional, param } from '../../platform/http/params.ts';

/** Parameters of a variable that the routes of every owner take. */
export const fields = {
  variable_type: optional(param.oneOf(['env_var', 'file'])),
  protected: optional(param.boolean({ description: 'Only for jobs of protected branches and tags.' })),
  masked: optional(param.boolean({ description: 'Logs do not show the value.' })),
  raw: optional(param.boolean({ description: '`$OTHER` in the value stays as it is.' })),
  description: optional(param.string()),
};
