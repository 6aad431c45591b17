import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PageRenderer } from './render.ts';

const { signal } = new AbortController();
const render = (content: string, format = 'markdown', renderer = new PageRenderer()) =>
  renderer.render({ content, format }, signal);

describe('a rendered page', () => {
  it('has the marks of Markdown, tables and bare links too', async () => {
    const html = await render(
      '# Title\n\n*one* ~~two~~ http://a.example\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    );
    assert.match(html, /<h1>Title<\/h1>/);
    assert.match(html, /<em>one<\/em> <s>two<\/s> <a href="http:\/\/a.example">/);
    assert.match(html, /<td>1<\/td>/);
  });

  it('runs nothing of its writer', async () => {
    const html = await render(
      '<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](vbscript:x) ![z](data:text/html,x)\n\n<img src=x onerror=alert(1)>\n\n[q](" onclick=alert(1) x)',
    );
    assert.doesNotMatch(html, /<script|<img|href="(?:javascript|vbscript|data)|<[^>]*\son\w+=/i);
    assert.match(html, /&lt;script&gt;/);
  });

  it('is the text itself in other formats', async () => {
    assert.equal(
      await render('= Title\n<b>"x" & y</b>', 'asciidoc'),
      '<pre class="code"><code>= Title\n&lt;b&gt;&quot;x&quot; &amp; y&lt;/b&gt;</code></pre>\n',
    );
  });

  it('is the text itself when rendering comes to no end in time', async () => {
    const impatient = new PageRenderer({ timeoutMs: 1 });
    assert.equal(
      await render('# Title', 'markdown', impatient),
      '<pre class="code"><code># Title</code></pre>\n',
    );
  });

  it('is not waited for by a client that is gone', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    const asked = new PageRenderer().render({ content: '# Title', format: 'markdown' }, gone);
    await assert.rejects(asked, /gone/);
  });

  it('comes of many at once', async () => {
    const renderer = new PageRenderer();
    const pages = await Promise.all(
      Array.from({ length: 6 }, (_, index) => render(`# ${index}`, 'markdown', renderer)),
    );
    assert.deepEqual(
      pages,
      Array.from({ length: 6 }, (_, index) => `<h1>${index}</h1>\n`),
    );
  });
});
