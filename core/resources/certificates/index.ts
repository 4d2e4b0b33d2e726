export * from './certificatesigningrequest.ts'
