import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holds } from './evaluate.ts';
import { parseExpression, patternsOf } from './parse.ts';
import { Patterns } from './pattern.ts';

const patterns = await Patterns.load();
const VARIABLES = new Map(
  Object.entries({
    BRANCH: 'main',
    EMPTY: '',
    TAG: 'v1.2',
    PATTERN: '/^MA/i',
    NOT: 'main',
    MULTI: 'a\nmain',
  }),
);

const evaluate = (text: string) => {
  const expression = parseExpression(text);
  assert.ok(expression, `${text} was not read`);
  return holds(expression, (name) => VARIABLES.get(name), patterns);
};

describe('conditions', () => {
  const table: Record<string, boolean> = {
    $BRANCH: true,
    $EMPTY: false,
    $NONE: false,
    null: false,
    '"x"': true,
    '""': false,
    '$BRANCH == "main"': true,
    "$BRANCH=='main'": true,
    '"main" == $BRANCH': true,
    '$BRANCH != "main"': false,
    '$BRANCH == $NOT': true,
    '$NONE == null': true,
    '$NONE =~ /^$/': true,
    '$NONE =~ /a/': false,
    '$NONE !~ /a/': true,
    '$NONE == ""': false,
    '$EMPTY == ""': true,
    '$EMPTY == null': false,
    '$EMPTY != null': true,
    '$NONE == $ALSO_NONE': true,
    '$TAG =~ /^v\\d+\\.\\d+$/': true,
    '$TAG =~ /^V/': false,
    '$TAG =~ /^V/i': true,
    '$TAG !~ /^x/': true,
    '$TAG !~ /^v/': false,
    '$NONE =~ /.*/': true,
    '$NONE !~ /.*/': false,
    '"23" =~ "1234"': true,
    '"1234" =~ "23"': false,
    '"1234" !~ "23"': true,
    '$BRANCH =~ $NONE': false,
    '$BRANCH !~ $NONE': true,
    '$BRANCH =~ $PATTERN': true,
    '$BRANCH =~ $NOT': true,
    '$MULTI =~ /^main$/': false,
    '$MULTI =~ /^main$/m': true,
    '"a/b" =~ /a\\/b/': true,
    '$BRANCH && $TAG': true,
    '$BRANCH && $NONE': false,
    '$EMPTY || $TAG': true,
    '$NONE || $EMPTY': false,
    '$BRANCH || $NONE && $EMPTY': true,
    '($BRANCH || $NONE) && $EMPTY': false,
    '$NONE && $EMPTY || $TAG': true,
    '(($BRANCH == "main") && ($TAG =~ /^v/ || $NONE))': true,
    '  $BRANCH  ==  "main"  ': true,
    '$BRANCH == "main"\n  && $TAG': true,
  };
  for (const [text, value] of Object.entries(table))
    it(`${text} is ${value}`, () => assert.equal(evaluate(text), value));

  const broken = [
    ...['', ' ', '==', '$', '$A ==', '== "x"', '$A = "x"', '$A == "x', '$A === "x"', '($A', '$A)', '()'],
    ...['$A && ', '&& $A', '$A $B', '$A =~ /x', '$A =~ //', 'foo', '$A == foo', '!$A', 'nullx', '$A & $B'],
    Array(60).fill('$A').join(' && '),
    `${'('.repeat(90)}$A${')'.repeat(90)}`,
  ];
  for (const text of broken)
    it(`${JSON.stringify(text.slice(0, 30))} is none`, () => assert.equal(parseExpression(text), null));

  it('takes what RE2 takes as a pattern and nothing that would run on', () => {
    const valid = (source: string) => patterns.isValid({ source, flags: '' });
    assert.ok(valid('^(a|b)+$'));
    assert.ok(valid('[a-z]{1,1000}'));
    for (const source of ['(', 'a(?=b)', '\\1', '[', '((a{99}){99}){99}', 'a'.repeat(5000)])
      assert.equal(valid(source), false, source.slice(0, 20));
    assert.equal(patterns.matches({ source: '^(a+)+$', flags: '' }, `${'a'.repeat(20_000)}b`), false);
  });

  it('names the patterns in it', () => {
    const expression = parseExpression('$A =~ /x/i && ($B !~ /y/ || $C)');
    assert.deepEqual(
      patternsOf(expression!).map(({ source, flags }) => [source, flags]),
      [
        ['x', 'i'],
        ['y', ''],
      ],
    );
  });
});
