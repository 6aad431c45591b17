import { XMLParser, XMLValidator } from 'fast-xml-parser';

export type TestStatus = 'success' | 'failed' | 'skipped' | 'error';

export interface TestCase {
  status: TestStatus;
  name: string;
  classname: string;
  file: string | null;
  /** Seconds. */
  time: number;
  /** What the test said when it failed; null else. */
  output: string | null;
}

/** The report cannot be read; the message is shown with the job. */
export class BadReport extends Error {
  override name = 'BadReport';
}

type Node = { [name: string]: unknown };

const MAX_TEXT = 100_000;
const MAX_NAME = 1000;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => name === 'testsuites' || name === 'testsuite' || name === 'testcase',
});

/** The tests of one or several JUnit files, one behind the other. Throws `BadReport`. Takes as long as the text is: for a thread. */
export function parseJunit(text: string): TestCase[] {
  return text
    .split(/(?=<\?xml\s)/)
    .filter((document) => document.trim() !== '')
    .flatMap((document) => {
      demandXml(document);
      return casesIn(parser.parse(document) as Node);
    });
}

function demandXml(document: string): void {
  const verdict = XMLValidator.validate(document);
  if (verdict === true || /multiple.*root/i.test(verdict.err.msg)) return;
  throw new BadReport(
    `JUnit XML parsing failed: ${verdict.err.msg.slice(0, 200)} (line ${verdict.err.line})`,
  );
}

const list = (value: unknown): Node[] => (Array.isArray(value) ? value : [value]).filter(isNode);
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Suites may hold suites. */
function casesIn(node: Node): TestCase[] {
  const own = list(node['testcase']).map(caseOf);
  const inner = [...list(node['testsuites']), ...list(node['testsuite'])];
  return [...own, ...inner.flatMap(casesIn)];
}

function caseOf(node: Node): TestCase {
  const [status, cause] = statusOf(node);
  return {
    status,
    name: attribute(node, 'name') ?? '',
    classname: attribute(node, 'classname') ?? '',
    file: attribute(node, 'file'),
    time: secondsIn(attribute(node, 'time')),
    output: cause === undefined ? null : textOf(cause).slice(0, MAX_TEXT),
  };
}

function statusOf(node: Node): [TestStatus, unknown] {
  if ('failure' in node) return ['failed', node['failure']];
  if ('error' in node) return ['error', node['error']];
  if ('skipped' in node) return ['skipped', node['skipped']];
  return ['success', undefined];
}

const attribute = (node: Node, name: string): string | null => {
  const value = node[`@${name}`];
  return typeof value === 'string' ? value.slice(0, MAX_NAME) : null;
};

/** Some tools write `1,234.5`. */
function secondsIn(text: string | null): number {
  const value = Number((text ?? '0').replaceAll(',', ''));
  return Number.isFinite(value) && value >= 0 ? value : 0;
}

/** What stands in the element, else its message. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (!isNode(value)) return '';
  const text = value['#text'];
  return typeof text === 'string' && text !== '' ? text : (attribute(value, 'message') ?? '');
}
