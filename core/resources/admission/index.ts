export * from './admissionreview.ts'
