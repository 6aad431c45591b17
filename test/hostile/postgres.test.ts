import { refusesHostileInput } from './suite.ts';

refusesHostileInput('postgres');
