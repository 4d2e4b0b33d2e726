import type * as z from 'zod/mini'
import type { FieldError } from '../../schema/field-error.ts'

/** `field` is empty for problems of the file as a whole. */
export type FileProblem = Pick<FieldError, 'field' | 'message'>

/** An invalid file. The message is one line with all problems, each prefixed by the path. */
export class ConfigurationFileError extends Error {
  override readonly name = 'ConfigurationFileError'
  readonly problems: readonly FileProblem[]
  constructor(path: string, problems: readonly FileProblem[]) {
    super(problems.map(({ field, message }) => `${path}: ${field === '' ? '' : `${field}: `}${message}`).join('; '))
    this.problems = problems
  }
}

/** `jwt[0].issuer.url` */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('')
}

/** Converts schema errors to problems. */
export function schemaProblems(issues: readonly z.core.$ZodIssue[]): readonly FileProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ field: '', message: `unknown field ${JSON.stringify(fieldOf([...issue.path, key]))}` }))
    return [{ field: fieldOf(issue.path), message: issue.message.replace(/^Invalid input: /, '') }]
  })
}
