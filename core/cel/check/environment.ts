/** What names in an expression stand for. */
import type { FunctionDeclaration } from '../functions.ts'
import type { CelType } from '../types.ts'

export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>
  readonly functions: ReadonlyMap<string, FunctionDeclaration>
  /** Types that an expression may name: as values, and in literals of objects. */
  typeNamed(name: string): CelType | undefined
}
