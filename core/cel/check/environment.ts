/** Declarations that names in an expression refer to. */
import type { FunctionDeclaration } from '../functions.ts'
import type { CelType } from '../types.ts'

export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>
  readonly functions: ReadonlyMap<string, FunctionDeclaration>
  /** Types that expressions may name, as values and in object literals. */
  typeNamed(name: string): CelType | undefined
}
