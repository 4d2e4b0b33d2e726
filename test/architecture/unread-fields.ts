/**
 * Finds fields of interfaces and types that are declared but never read. It compares names only, so a field is missed
 * when its name is read elsewhere.
 */
import type { Source } from './graph.ts'

const declaration = /^ {2}(?:readonly )?([a-zA-Z_]\w*)\??(?:: |\()/gm

/** Bodies of top-level `interface X {` and `type X = {`. */
const bodies = (text: string) =>
  [...text.matchAll(/^(?:export )?(?:interface [^{]+|type [^={]+= )\{\n([\s\S]*?)^\}/gm)].map(([, body = '']) => body)

/** Names that are read: `.name`, `['name']`, destructuring, shorthand. Not `name: value` and `.name = value`, which are writes. */
function readNames(text: string): Set<string> {
  const names = new Set<string>()
  for (const [, name = ''] of text.matchAll(/\.([a-zA-Z_]\w*)\b(?!\s*=[^=>])/g)) names.add(name)
  for (const [, name = ''] of text.matchAll(/\['([a-zA-Z_]\w*)'\]/g)) names.add(name)
  for (const [, list = ''] of text.matchAll(/\{([^{}]*)\}(?=\s*(?:=[^>]|:|\)|of\b|,))/g))
    for (const [, name = ''] of list.matchAll(/(?:^|,)\s*([a-zA-Z_]\w*)/g)) names.add(name)
  for (const [, name = ''] of text.matchAll(/'([a-zA-Z_]\w*)'/g)) names.add(name)
  return names
}

/** `file: field` for every field declared in `declaring` that no file of `reading` reads. */
export function unreadFields(declaring: readonly Source[], reading: readonly Source[]): string[] {
  const read = new Set(reading.flatMap(({ text }) => [...readNames(text)]))
  return declaring.flatMap(({ path, text }) =>
    bodies(text).flatMap((body) =>
      [...body.matchAll(declaration)]
        .map(([, name = '']) => name)
        .filter((name) => !read.has(name))
        .map((name) => `${path}: ${name}`),
    ),
  )
}
