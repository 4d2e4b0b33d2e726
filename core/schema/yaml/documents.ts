/** Texts with several YAML documents. */

/** A line that ends a document, as kubectl takes it: what else stands on the line is dropped. */
const separator = /^---(?:\s|$)/

/** A document of a YAML text. */
export interface Document {
  readonly body: string
  /** Of the file, counted from 1. */
  readonly line: number
}

/** The documents of a text, as kubectl separates them: by lines, whatever stands around them. Some may be empty. */
export function documentsOf(text: string): Document[] {
  const documents: Document[] = []
  let lines: string[] = []
  let first = 1
  const end = (next: number) => {
    documents.push({ body: lines.join('\n'), line: first })
    lines = []
    first = next
  }
  for (const [at, line] of text.split('\n').entries()) {
    if (separator.test(line)) end(at + 2)
    else lines.push(line)
  }
  end(0)
  return documents
}
