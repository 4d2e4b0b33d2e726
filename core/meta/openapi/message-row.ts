/**
 * Protobuf messages of OpenAPI documents as data (packages `openapi.v2` and `openapi.v3`). A type is `string`, `bool`, `int64`, `double`,
 * `any` or the name of a row; the prefix `*` means repeated.
 */
export type MessageRow =
  | {
      /** Tag and type, by JSON name. */
      readonly fields: { readonly [json: string]: readonly [tag: number, type: string] }
      /** Tag of the list of `x-` keys, as name and value. */
      readonly extensions?: number
      /** Tag and type of the list of all other keys. */
      readonly entries?: readonly [tag: number, type: string]
    }
  /** A message with a single field for the JSON value. */
  | { readonly wraps: readonly [tag: number, type: string] }
  /**
   * A oneof: selected by the value of `in`, by presence of `$ref` (`true`, `false`), or by the JSON type (`string`, `number`, …);
   * `''` is the default.
   */
  | { readonly by: 'in' | 'reference' | 'type'; readonly choices: { readonly [value: string]: readonly [tag: number, type: string] } }

export interface MessageTable {
  readonly [name: string]: MessageRow
}
