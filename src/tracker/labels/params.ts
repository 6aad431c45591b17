import { optional, param } from '../../platform/http/params.ts';

/** What names a label in its address. */
export const reference = param.string({ description: 'Number or name of the label.' });
export const color = param.string({ description: '`#rrggbb`, `#rgb` or a name of CSS.' });
export const search = optional(param.string({ description: 'In name and description.' }));

/** Before labels had addresses of their own they were named by a parameter; clients still do. */
export const named = { name: optional(param.string()), label_id: optional(param.integer()) };
export const exactlyOne = [Object.keys(named)];
