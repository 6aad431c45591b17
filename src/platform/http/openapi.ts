import { Answer, Bytes } from './answer.ts';
import type { Api } from './api.ts';
import { params } from './params.ts';
import type { CallerBase } from './request.ts';
import type { RouteRecord } from './route.ts';
import { type TSchema, Type } from './schema.ts';

/** The OpenAPI 3.1 document, made from the same schemas that check the calls. */

type Json = Record<string, unknown>;

/** Of the API it describes. */
const DOCUMENT_VERSION = '4.0.0';

/** `GET /api/v4/openapi.json`, made at the first question. */
export function openApiRoute<C extends CallerBase>(api: Api<C>): void {
  let written: Buffer | null = null;
  api.room('metadata').get('/openapi.json', {
    summary: 'This document',
    params: params({}),
    responses: { 200: Type.Unknown() },
    handler: () => {
      written ??= Buffer.from(openApiText(api.routes));
      return new Answer(200, new Bytes(written), { 'content-type': 'application/json' });
    },
  });
}

export const openApiText = (routes: readonly RouteRecord[]): string =>
  `${JSON.stringify(openApiDocument(routes, DOCUMENT_VERSION), null, 2)}\n`;

export function openApiDocument(routes: readonly RouteRecord[], version: string): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of [...routes].sort(byPath)) {
    const path = `/api/v4${templateOf(route.path)}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ingot',
      version,
      description: 'A compact forge service that speaks the GitLab v4 REST API.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ privateToken: [] }, { bearer: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
        jobToken: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN' },
      },
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

const byPath = (a: RouteRecord, b: RouteRecord) =>
  a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1;

const pathNames = (path: string) => [...path.matchAll(/:(\w+)|\*/g)].map(([, name]) => name ?? '*');
const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace('*', '{*}');

function operation(route: RouteRecord, components: Json): Json {
  const { spec, method, path, tag } = route;
  const inPath = new Set(pathNames(path));
  const properties = Object.entries(spec.params.properties as Record<string, TSchema>);
  const required = requiredOf(spec.params.required ?? [], spec.params.properties);
  const others = properties.filter(([name]) => !inPath.has(name));
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const parameters = [
    ...[...inPath].map((name) => parameter(name, 'path', true, spec.params.properties[name], components)),
    ...(hasBody
      ? []
      : others.map(([name, schema]) => parameter(name, 'query', required.has(name), schema, components))),
  ];
  return {
    operationId: operationId(route),
    summary: spec.summary,
    ...(spec.description && { description: spec.description }),
    tags: [tag],
    ...(route.open && { security: [] }),
    ...(spec.jobToken && { security: [{ privateToken: [] }, { bearer: [] }, { jobToken: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && others.length > 0 && { requestBody: requestBody(others, required, components) }),
    responses: responses(spec.responses, components),
  };
}

/** What has a default is always there for the handler, and for the caller to leave away. */
const requiredOf = (names: readonly string[], properties: Json): Set<string> =>
  new Set(names.filter((name) => !('default' in (properties[name] as object))));

function operationId({ method, path }: RouteRecord): string {
  const words = path
    .replace('*', 'wildcard')
    .replace('/-/', '/dash/')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

function parameter(name: string, place: string, required: boolean, schema: unknown, components: Json): Json {
  const { description, ...rest } = toJsonSchema(schema ?? { type: 'string' }, components) as Json;
  const list = (rest as { type?: string }).type === 'array' && place === 'query';
  return {
    name: list ? `${name}[]` : name,
    in: place,
    ...(required && { required }),
    ...(description !== undefined && { description }),
    schema: rest,
  };
}

function requestBody(fields: [string, TSchema][], required: Set<string>, components: Json): Json {
  const names = fields.map(([name]) => name).filter((name) => required.has(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, toJsonSchema(field, components)])),
    ...(names.length > 0 && { required: names }),
  };
  return { required: names.length > 0, content: { 'application/json': { schema } } };
}

function responses(declared: Record<number, TSchema | null>, components: Json): Json {
  const answers: Json = {};
  for (const [status, schema] of Object.entries(declared)) {
    answers[status] = {
      description: DESCRIPTIONS[status] ?? 'Success',
      ...(schema && { content: { 'application/json': { schema: toJsonSchema(schema, components) } } }),
    };
  }
  return { ...answers, '4XX': { description: 'Refused: `{"message": …}` or `{"error": …}`' } };
}

const DESCRIPTIONS: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
};

/** Plain JSON Schema: what has an `$id` becomes a component and a reference, TypeBox's hidden keys go. */
function toJsonSchema(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => toJsonSchema(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as Json & { $id?: string };
  const plain: Json = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith('~') || key === 'x-rules') continue;
    if (key === 'required' && Array.isArray(value)) {
      const names = [...requiredOf(value, (rest as Json)['properties'] as Json)];
      if (names.length > 0) plain[key] = names;
    } else plain[key] = key === 'default' || key === 'enum' ? value : toJsonSchema(value, components);
  }
  if ($id === undefined) return plain;
  components[$id] ??= plain;
  return { $ref: `#/components/schemas/${$id}` };
}
