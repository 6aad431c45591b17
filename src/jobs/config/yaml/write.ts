import { resolvePlain } from './scalars.ts';
import { isList, isMap, isReference, type Yaml } from './value.ts';

type Library = typeof import('yaml');

/** A tree as Ruby's Psych writes it, and GitLab shows it in `merged_yaml`: lists not indented, nothing shared. */
export async function writeYaml(root: Yaml): Promise<string> {
  const yaml = await import('yaml');
  const document = new yaml.Document();
  document.contents = new Writing(yaml).node(root);
  return `---\n${document.toString({ lineWidth: 0, indentSeq: false, nullStr: '' })}`;
}

class Writing {
  readonly #yaml: Library;

  constructor(yaml: Library) {
    this.#yaml = yaml;
  }

  node(value: Yaml): InstanceType<Library['Scalar' | 'YAMLMap' | 'YAMLSeq']> {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return new this.#yaml.Scalar(value);
    if (isMap(value)) return this.#map(value);
    if (isList(value)) return this.#list(value);
    return isReference(value) ? this.#reference(value.reference) : this.#decimal(value.decimal);
  }

  #map(value: Iterable<readonly [string, Yaml]>) {
    const map = new this.#yaml.YAMLMap();
    for (const [key, content] of value)
      map.items.push(new this.#yaml.Pair(this.#text(key), this.node(content)));
    return map;
  }

  #list(value: Iterable<Yaml>) {
    const list = new this.#yaml.YAMLSeq();
    for (const item of value) list.items.push(this.node(item));
    return list;
  }

  #reference(path: Yaml) {
    const node = this.node(path);
    node.tag = '!reference';
    return node;
  }

  #decimal(text: string) {
    const isWhole = /^-?\d+$/.test(text);
    const node = new this.#yaml.Scalar(isWhole ? BigInt(text) : Number(text));
    if (!isWhole) node.minFractionDigits = 1;
    return node;
  }

  #text(text: string) {
    const node = new this.#yaml.Scalar(text);
    const style = styleOf(text);
    if (style) node.type = style;
    return node;
  }
}

/** Which quotes Psych puts around a text; undefined: none, if it can do without. */
function styleOf(text: string): 'QUOTE_DOUBLE' | 'QUOTE_SINGLE' | 'BLOCK_LITERAL' | undefined {
  if (text.includes('\n') && !/[^\S\n]\n/.test(text)) return 'BLOCK_LITERAL';
  if (/^(?:[yYnN]|[^\p{L}\p{N}_][^"]*)$/u.test(text)) return 'QUOTE_DOUBLE';
  return resolvePlain(text) === text && !isDate(text) ? undefined : 'QUOTE_SINGLE';
}

const isDate = (text: string): boolean => /^\d{4}-\d{1,2}-\d{1,2}/.test(text);
