import { refusesHostileInput } from './suite.ts';

refusesHostileInput('sqlite');
