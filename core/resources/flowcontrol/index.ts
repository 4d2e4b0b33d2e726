export * from './enums.ts'
export * from './flowschema.ts'
export * from './prioritylevelconfiguration.ts'
