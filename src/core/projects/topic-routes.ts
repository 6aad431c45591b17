import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { nullable, optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { countTopics, findTopic, listTopics, type TopicCount } from './topics-store.ts';

const Topic = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    title: Type.String(),
    description: nullable(Type.String()),
    total_projects_count: Type.Integer(),
    avatar_url: nullable(Type.String()),
  },
  { $id: 'Topic' },
);

/** Topics come and go with the projects that have them: unlike on GitLab, nobody makes or describes one by itself. */
export function topicRoutes(api: CoreApi, core: Core): void {
  const room = api.room('topics');

  room.get('/topics', {
    summary: 'Topics of all projects, the most used first',
    params: params({ search: optional(param.string()), ...pageParams }),
    responses: { 200: Type.Array(Topic) },
    handler: async (call) => {
      const page = pageOf(call.params);
      const search = call.params.search || undefined;
      const topics = await listTopics(core.db, search, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, topics.map(present), { total: await countTopics(core.db, search) });
    },
  });

  room.get('/topics/:topic_id', {
    summary: 'One topic',
    params: params({ topic_id: param.integer() }),
    responses: { 200: Topic },
    handler: async ({ params }) => {
      const topic = await findTopic(core.db, params.topic_id);
      if (!topic) throw fail.notFound();
      return present(topic);
    },
  });
}

const present = ({ id, name, projects }: TopicCount) => ({
  id,
  name,
  title: name,
  description: null,
  total_projects_count: Number(projects),
  avatar_url: null,
});
