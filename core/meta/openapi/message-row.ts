/**
 * Messages of OpenAPI documents as data: of package `openapi.v2` or `openapi.v3`. A type is `string`, `bool`, `int64`, `double`, `any` or the
 * name of a row; `*` before it means repeated.
 */
export type MessageRow =
  | {
      /** Tag and type by JSON name. */
      readonly fields: { readonly [json: string]: readonly [tag: number, type: string] }
      /** Tag of the pairs of name and value that keep the keys with `x-`. */
      readonly extensions?: number
      /** Tag and type of the pairs that keep all other keys. */
      readonly entries?: readonly [tag: number, type: string]
    }
  /** A message whose only field, this one, holds the JSON value. */
  | { readonly wraps: readonly [tag: number, type: string] }
  /**
   * A choice: by the value of `in`, by whether there is a `$ref` (`true`, `false`), or by the type of the JSON value (`string`, `number`, …).
   * `''` is the last resort.
   */
  | { readonly by: 'in' | 'reference' | 'type'; readonly choices: { readonly [value: string]: readonly [tag: number, type: string] } }

export interface MessageTable {
  readonly [name: string]: MessageRow
}
