import { parentPort, workerData } from 'node:worker_threads';
import MarkdownIt from 'markdown-it';

/** Runs in a thread of its own, for one text: `workerData` is the Markdown, the message it sends the HTML. */

// HTML in the text stays text, and links with schemes that run something stay words: the reader is not its writer.
const markdown = new MarkdownIt({ html: false, linkify: true });
parentPort?.postMessage(markdown.render(String(workerData)));
