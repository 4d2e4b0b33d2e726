import type * as z from 'zod'
import type { FieldError } from '../../schema/field-error.ts'

/** `field` is empty for what is wrong with a file as a whole. */
export type FileProblem = Pick<FieldError, 'field' | 'message'>

/** A file that can't be used. The message is one line with every problem, each after the path of the file. */
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

/** What a schema found. */
export function schemaProblems(issues: readonly z.core.$ZodIssue[]): readonly FileProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ field: '', message: `unknown field ${JSON.stringify(fieldOf([...issue.path, key]))}` }))
    return [{ field: fieldOf(issue.path), message: issue.message.replace(/^Invalid input: /, '') }]
  })
}
