/**
 * The part of package `openapi.v2` that our documents use (github.com/google/gnostic-models, openapiv2/OpenAPIv2.proto), as data.
 * A type is `string`, `bool`, `int64`, `double`, `any` or the name of a row; `*` before it means repeated.
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
  /** A choice by the value of `in`; `''` is the last resort. */
  | { readonly choices: { readonly [place: string]: readonly [tag: number, type: string] } }

export const messages: { readonly [name: string]: MessageRow } = {
  Document: {
    fields: {
      swagger: [1, 'string'],
      info: [2, 'Info'],
      paths: [8, 'Paths'],
      definitions: [9, 'Definitions'],
      security: [12, '*SecurityRequirement'],
      securityDefinitions: [13, 'SecurityDefinitions'],
    },
    extensions: 16,
  },
  Info: { fields: { title: [1, 'string'], version: [2, 'string'] }, extensions: 7 },
  Paths: { fields: {}, extensions: 1, entries: [2, 'PathItem'] },
  PathItem: {
    fields: {
      get: [2, 'Operation'],
      put: [3, 'Operation'],
      post: [4, 'Operation'],
      delete: [5, 'Operation'],
      options: [6, 'Operation'],
      head: [7, 'Operation'],
      patch: [8, 'Operation'],
      parameters: [9, '*ParametersItem'],
    },
    extensions: 10,
  },
  Operation: {
    fields: {
      tags: [1, '*string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      produces: [6, '*string'],
      consumes: [7, '*string'],
      parameters: [8, '*ParametersItem'],
      responses: [9, 'Responses'],
      schemes: [10, '*string'],
    },
    extensions: 13,
  },
  ParametersItem: { wraps: [1, 'Parameter'] },
  Parameter: { choices: { body: [1, 'BodyParameter'], '': [2, 'NonBodyParameter'] } },
  BodyParameter: {
    fields: { description: [1, 'string'], name: [2, 'string'], in: [3, 'string'], required: [4, 'bool'], schema: [5, 'Schema'] },
    extensions: 6,
  },
  NonBodyParameter: { choices: { query: [3, 'QueryParameter'], path: [4, 'PathParameter'] } },
  QueryParameter: {
    fields: {
      required: [1, 'bool'],
      in: [2, 'string'],
      description: [3, 'string'],
      name: [4, 'string'],
      type: [6, 'string'],
      uniqueItems: [20, 'bool'],
    },
    extensions: 23,
  },
  PathParameter: {
    fields: {
      required: [1, 'bool'],
      in: [2, 'string'],
      description: [3, 'string'],
      name: [4, 'string'],
      type: [5, 'string'],
      uniqueItems: [19, 'bool'],
    },
    extensions: 22,
  },
  Responses: { fields: {}, extensions: 2, entries: [1, 'ResponseValue'] },
  ResponseValue: { wraps: [1, 'Response'] },
  Response: { fields: { description: [1, 'string'], schema: [2, 'SchemaItem'] }, extensions: 5 },
  SchemaItem: { wraps: [1, 'Schema'] },
  Definitions: { fields: {}, entries: [1, 'Schema'] },
  Properties: { fields: {}, entries: [1, 'Schema'] },
  Schema: {
    fields: {
      $ref: [1, 'string'],
      format: [2, 'string'],
      title: [3, 'string'],
      description: [4, 'string'],
      default: [5, 'any'],
      multipleOf: [6, 'double'],
      maximum: [7, 'double'],
      exclusiveMaximum: [8, 'bool'],
      minimum: [9, 'double'],
      exclusiveMinimum: [10, 'bool'],
      maxLength: [11, 'int64'],
      minLength: [12, 'int64'],
      pattern: [13, 'string'],
      maxItems: [14, 'int64'],
      minItems: [15, 'int64'],
      uniqueItems: [16, 'bool'],
      maxProperties: [17, 'int64'],
      minProperties: [18, 'int64'],
      required: [19, '*string'],
      enum: [20, '*any'],
      additionalProperties: [21, 'AdditionalPropertiesItem'],
      type: [22, 'TypeItem'],
      items: [23, 'ItemsItem'],
      properties: [25, 'Properties'],
    },
    extensions: 31,
  },
  AdditionalPropertiesItem: { wraps: [1, 'Schema'] },
  TypeItem: { wraps: [1, 'string'] },
  ItemsItem: { wraps: [1, 'Schema'] },
  SecurityRequirement: { fields: {}, entries: [1, 'StringArray'] },
  StringArray: { wraps: [1, '*string'] },
  SecurityDefinitions: { fields: {}, entries: [1, 'SecurityDefinitionsItem'] },
  SecurityDefinitionsItem: { wraps: [2, 'ApiKeySecurity'] },
  ApiKeySecurity: {
    fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
    extensions: 5,
  },
}
