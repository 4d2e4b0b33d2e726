import { join } from 'node:path'
import { root } from '../support/root.ts'

/** Compiler options of a strict project: declarations of libraries are checked too (no skipLibCheck). */
export const strictProject = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2023', 'dom'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
}
