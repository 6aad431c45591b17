import type { CoreApi } from '../../../core/core.ts';
import { fail } from '../../../platform/errors.ts';
import { pageOf, pageParams, sliceAnswer } from '../../../platform/http/pagination.ts';
import { param, params } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import { TEMPLATES } from './templates.ts';

const TemplateKey = Type.Object(
  { key: Type.String(), name: Type.String() },
  { $id: 'CiConfigurationTemplateKey' },
);

const Template = Type.Object(
  { name: Type.String(), content: Type.String() },
  { $id: 'CiConfigurationTemplate' },
);

/** What `include: template` may name. */
export function templateRoutes(api: CoreApi): void {
  const routes = api.room('templates');

  routes.get('/templates/gitlab_ci_ymls', {
    summary: 'List the templates of configurations',
    params: params(pageParams),
    responses: { 200: Type.Array(TemplateKey) },
    handler: async (call) =>
      sliceAnswer(call, pageOf(call.params), [...TEMPLATES.keys()], (key) => ({ key, name: key })),
  });

  routes.get('/templates/gitlab_ci_ymls/:name', {
    summary: 'Read a template of configurations',
    params: params({ name: param.string({ description: 'Its URL-encoded key.' }) }),
    responses: { 200: Template },
    handler: async ({ params: { name } }) => {
      const content = TEMPLATES.get(name);
      if (content === undefined) throw fail.notFound('Template');
      return { name, content };
    },
  });
}
