import { Value } from 'typebox/value';
import { type Answer, Bytes, WrittenJson } from '../../src/platform/http/answer.ts';
import type { RouteRecord } from '../../src/platform/http/route.ts';

/** Holds an answer against the schema that its route publishes; throws when it does not fit. */
export function checkAnswer(route: RouteRecord, answer: Answer): void {
  if (answer.body instanceof Bytes || answer.status >= 300) return;
  const schema = route.spec.responses[answer.status];
  const name = `${route.method} ${route.path} ${answer.status}`;
  if (schema === undefined) throw new Error(`${name}: status is not declared`);
  if (schema === null) {
    if (answer.body !== undefined) throw new Error(`${name}: declared without a body, has one`);
    return;
  }
  const text = answer.body instanceof WrittenJson ? answer.body.text.toString() : JSON.stringify(answer.body);
  const body: unknown = JSON.parse(text);
  const [problem] = Value.Errors(schema, body);
  if (problem) throw new Error(`${name}: ${problem.instancePath} ${problem.message}`);
}
