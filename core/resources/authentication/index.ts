export * from './selfsubjectreview.ts'
export * from './tokenrequest.ts'
export * from './tokenreview.ts'
export * from './userinfo.ts'
