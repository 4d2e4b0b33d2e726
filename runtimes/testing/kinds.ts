/**
 * Types of the objects of all built-in kinds, by apiVersion and kind: `written` for bodies, `stored` for what is read. The build of the package puts
 * the declarations that it prints from the schema (runtimes/kind-types.ts) in place of this file's. In a checkout the table is empty, and
 * objects are TestObjects.
 */
export type Kinds = Record<never, never>
