export * from './clustertrustbundle.ts'
export * from './podcertificaterequest.ts'
