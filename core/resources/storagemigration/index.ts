export * from './storageversionmigration.ts'
