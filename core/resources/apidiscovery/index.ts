export * from './apigroupdiscovery.ts'
