#ifndef BOARD_H
#define BOARD_H

#define MOST 64

/* A board of Penguins: each cell has its fish and the penguin on it, 0 for none. */
typedef struct {
    int rows, columns, players;
    int fish[MOST][MOST], penguin[MOST][MOST];
    char id[10][256];
    int number[10], score[10];
} Board;

int read_board(Board *board, const char *path);
int write_board(const Board *board, const char *path);
int player_called(Board *board, const char *id);
int is_free(const Board *board, int row, int column);

#endif
