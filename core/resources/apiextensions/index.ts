export * from './conversionreview.ts'
export * from './customresourcedefinition.ts'
export * from './json-schema.ts'
export * from './webhook.ts'
